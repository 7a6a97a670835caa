import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The CPU-seconds of the files that take the most. */
const KEPT = new URL('../../test/cpu-seconds.json', import.meta.url);

/**
 * Puts the files of each project together. A process goes on with another file only where that is of the same project: in an order by length
 * alone, in which projects alternate, most files would start a process. The last project of the configuration comes first, so that
 * the first one has short files, which fill all processes to the end. In a project the files with the most CPU come first: one of
 * them at the end would run alone.
 */
export default class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { projects, config } = this.ctx;
    const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as { files: Record<string, number> };
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    const seconds = ({ moduleId }: TestSpecification): number => kept.files[relative(config.root, moduleId)] ?? 0;
    // Others stay as they are: by what they took before, or by their sizes.
    return (await super.sort(files)).sort(
      (left, right) => place(right) - place(left) || seconds(right) - seconds(left),
    );
  }
}
