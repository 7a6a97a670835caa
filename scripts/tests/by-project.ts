import { BaseSequencer, type TestProject, type TestSpecification } from 'vitest/node';

/**
 * Puts the files of each project together. A process goes on with another file only where that is of the same project: in an order by length
 * alone, in which projects alternate, most files would start a process. Projects whose files have a process each come first, as
 * their files take longest.
 */
export default class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = new Map<TestProject, TestSpecification[]>();
    for (const file of await super.sort(files)) {
      byProject.set(file.project, [...(byProject.get(file.project) ?? []), file]);
    }
    const isolated = (project: TestProject): number => Number(project.config.isolate);
    const groups = [...byProject].sort(([left], [right]) => isolated(right) - isolated(left));
    return groups.flatMap(([, ofProject]) => ofProject);
  }
}
