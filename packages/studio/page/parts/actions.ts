import type { ModelAnswer } from '../../api/model-and-status.ts';
import { postTo } from '../base/ask.ts';
import { goTo } from '../base/place.tsx';
import { showKeys } from './keys.tsx';

export interface Action {
  title: string;
  run(): void | Promise<void>;
}

export function actionsOf(model: ModelAnswer | undefined): Action[] {
  const redrive: Action = {
    title: 'Redrive all quarantined items',
    run: async () => {
      await postTo('/api/redrive', {});
      goTo('/trust');
    },
  };
  return [
    ...(model?.isWritable === true ? [redrive] : []),
    { title: 'Check the table (shows the price first)', run: () => goTo('/trust') },
    { title: 'Show keyboard shortcuts', run: showKeys },
  ];
}
