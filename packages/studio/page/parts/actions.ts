import type { ModelAnswer } from '../../api/model-and-status.ts';
import { askStudio, postTo } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { showKeys } from './keys.tsx';

/** Something that the page does when its name is chosen. */
export interface Action {
  title: string;
  /** Throws a `Failure`. */
  run(): void | Promise<void>;
}

/** The actions that the studio may take. None of them costs more than a look at the overview. */
export function actionsOf(model: ModelAnswer | undefined): Action[] {
  const redrive: Action = {
    title: 'Redrive the quarantine',
    run: async () => {
      await postTo('/api/redrive', {});
      goTo('/trust');
    },
  };
  return [
    ...(model?.isWritable === true ? [redrive] : []),
    { title: 'Check the table, after its price is shown', run: () => goTo('/trust') },
    {
      title: 'Look at the table again',
      run: async () => {
        await askStudio('/api/status', { quick: 'true', again: 'true' });
        goTo('/');
      },
    },
    { title: 'Copy the address of this page', run: () => navigator.clipboard.writeText(location.href) },
    { title: 'Show the keys', run: showKeys },
  ];
}
