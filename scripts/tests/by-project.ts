import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Puts the files of each project together. A process goes on with another file only where that is of the same project: in an order by length
 * alone, in which projects alternate, most files would start a process. The last project of the configuration comes first, so that
 * the first one has short files, which fill both processes to the end.
 */
export default class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { projects } = this.ctx;
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    return (await super.sort(files)).sort((left, right) => place(right) - place(left));
  }
}
