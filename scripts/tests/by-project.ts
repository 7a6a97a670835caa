import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const KEPT = new URL('../../test/cpu-seconds.json', import.meta.url);

/**
 * Groups files by project, because a process runs further files only of the same project. The longest files come first,
 * since they would otherwise run alone at the end. The last project comes first, so that the short files of the first
 * project fill all processes at the end.
 */
export default class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { projects, config } = this.ctx;
    const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as { files: Record<string, number> };
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    const seconds = ({ moduleId }: TestSpecification): number => kept.files[relative(config.root, moduleId)] ?? 0;
    // `super.sort` orders files without saved seconds by their last duration or size.
    return (await super.sort(files)).sort(
      (left, right) => place(right) - place(left) || seconds(right) - seconds(left),
    );
  }
}
