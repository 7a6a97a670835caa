import { readFile, rm } from 'node:fs/promises';
import { EdgeloomError, messageOf } from '../../../../src/foundation/errors.ts';
import { removeLeftovers, replaceFile } from '../../../../src/foundation/replace-file.ts';
import { type CheckCursor, parseCursor } from '../../../../src/trust/check/cursor.ts';
import { requireWritable } from '../../shared/writable.ts';

/** The output so far, saved with the cursor so that a resumed run's output is complete. */
export interface Gathered {
  /** Returns a value for JSON. */
  save(): unknown;
  restore(saved: unknown): void;
}

const KEEP_MS = 5_000;

export class ResumeFile {
  private keptAtMs = Number.NEGATIVE_INFINITY;
  /** What the file has. */
  private kept: string | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly command: string,
    private readonly gathered: Gathered,
  ) {}

  async load(): Promise<CheckCursor | undefined> {
    const text = await this.read();
    try {
      await requireWritable(this.file, { isReplaced: true });
      await removeLeftovers(this.file);
    } catch (error) {
      throw this.failure('written', error);
    }
    this.kept = text;
    if (text === undefined) return undefined;
    const { gathered, command, cursor } = parts(text);
    const parsed = this.parsed(cursor);
    // Older versions kept only the cursor, or no command.
    if (command !== undefined && command !== this.command) throw this.ofOtherCommand(command);
    if (gathered !== undefined) this.restore(gathered);
    return parsed;
  }

  async keepNowAndThen(cursor: () => CheckCursor): Promise<void> {
    if (performance.now() - this.keptAtMs < KEEP_MS) return;
    this.keptAtMs = performance.now();
    await this.keep(cursor());
  }

  async keep(cursor: CheckCursor | undefined): Promise<void> {
    const text = cursor && JSON.stringify({ ...cursor, command: this.command, gathered: this.gathered.save() });
    // One after the other: a cut-off run may still be writing.
    this.writing = this.writing.catch(() => undefined).then(() => this.write(text));
    await this.writing;
  }

  private async write(text: string | undefined): Promise<void> {
    if (text === this.kept) return;
    try {
      if (text === undefined) await rm(this.file, { force: true });
      else await replaceFile(this.file, text);
    } catch (error) {
      throw this.failure('written', error);
    }
    this.kept = text;
  }

  private async read(): Promise<string | undefined> {
    try {
      return await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.failure('read', error);
    }
  }

  private parsed(cursor: unknown): CheckCursor {
    try {
      return parseCursor(cursor);
    } catch (error) {
      throw this.unfit(error);
    }
  }

  private restore(gathered: unknown): void {
    try {
      this.gathered.restore(gathered);
    } catch (error) {
      throw this.unfit(error);
    }
  }

  private ofOtherCommand(command: unknown): EdgeloomError {
    return new EdgeloomError(
      'invalid-cursor',
      `The file ${this.file} keeps the place of edgeloom ${command}, but this is edgeloom ${this.command}.`,
      'Give the same options to continue, or name another file with --resume.',
    );
  }

  private unfit(error: unknown): EdgeloomError {
    return new EdgeloomError(
      'invalid-cursor',
      `The file ${this.file} doesn't contain the place of an interrupted command of this kind.`,
      'Name another file with --resume, or delete this one to start at the beginning.',
      { cause: error },
    );
  }

  private failure(done: 'read' | 'written', error: unknown): EdgeloomError {
    return new EdgeloomError(
      'file-failed',
      `The file ${this.file} of --resume cannot be ${done}: ${messageOf(error)}.`,
      'Name another file with --resume, or check the permissions of the file and its folder.',
      { cause: error },
    );
  }
}

function parts(text: string): { gathered?: unknown; command?: unknown; cursor: unknown } {
  try {
    const { gathered, command, ...cursor } = JSON.parse(text) as { gathered?: unknown; command?: unknown };
    return { gathered, command, cursor };
  } catch {
    return { cursor: undefined };
  }
}
