import type { StreamDescription, StreamPage, StreamSource } from './source.ts';

/** Opens the stream at first use: its client takes a while to load, and many calls of a function don't need it. */
export class DeferredStreamSource implements StreamSource {
  private opened: Promise<StreamSource> | undefined;

  constructor(
    readonly streamArn: string,
    private readonly open: () => Promise<StreamSource>,
  ) {}

  async describe(): Promise<StreamDescription> {
    return await (await this.source()).describe();
  }

  async isClosed(shardId: string): Promise<boolean> {
    return await (await this.source()).isClosed(shardId);
  }

  async iterator(shardId: string, after: string | undefined): Promise<string> {
    return await (await this.source()).iterator(shardId, after);
  }

  async latest(shardId: string): Promise<string> {
    return await (await this.source()).latest(shardId);
  }

  async read(iterator: string, limit: number): Promise<StreamPage> {
    return await (await this.source()).read(iterator, limit);
  }

  private source(): Promise<StreamSource> {
    this.opened ??= this.open();
    return this.opened;
  }
}
