import type { Step } from './next-step.ts';

/** Steps of a migration in words. */

/** The state after a step. */
export const STATE_AFTER: Readonly<Record<Step['kind'], string>> = {
  register: 'registered',
  enforce: 'kept',
  'note-home': 'noted',
  look: 'looked at',
  'open-empty': 'ready',
  doubt: 'kept',
  keep: 'kept',
  'note-since': 'kept',
  backfill: 'verified',
  pause: 'shown',
  ready: 'ready',
  distrust: 'distrusted',
  'trust-again': 'trusted',
  wait: 'unused',
  install: 'trusted',
  'settle-views': 'settled',
  'shape-ready': 'ready',
  withdraw: 'kept',
  abandon: 'absent',
  delete: 'deleted',
  forget: 'forgotten',
  'drop-shape': 'absent',
};

/** Returns the names of a step's projections. */
export function subjectOf(step: Step): string {
  if ('definitions' in step) return step.definitions.map(({ name }) => name).join(' ');
  if ('types' in step) return step.types.map((type) => `view:${type}`).join(' ');
  if ('shapes' in step) return step.shapes.map(({ name, id }) => `view:${name}@${id}`).join(' ');
  if ('generations' in step) return step.generations.map(({ name, id }) => `${name}@${id}`).join(' ');
  if ('seen' in step)
    return [step.seen]
      .flat()
      .map(({ name, id }) => `${name}@${id}`)
      .join(' ');
  return '';
}

const WORDS: Readonly<Record<Step['kind'], string>> = {
  register: 'Register the model with the table',
  enforce: 'Have writers go by the registry',
  'note-home': 'Note the home region of the table',
  look: 'Look whether anything is in the table',
  'open-empty': 'Let readers use everything: the table is empty',
  doubt: 'Verify everything anew: table or stream is another than the registered one',
  keep: 'Have writers keep',
  'note-since': 'Note since when writers keep what is new',
  backfill: 'Build and verify',
  pause: 'Wait until every replica shows',
  ready: 'Let readers use',
  distrust: 'Have readers look at the base items in the place of',
  'trust-again': 'Let readers use again',
  wait: 'Wait until no reader can rely any more on',
  install: 'Install',
  'settle-views': 'Make anew all views of',
  'shape-ready': 'Let a missing view say that there is nothing:',
  withdraw: 'Take from readers',
  abandon: 'Have writers leave off',
  delete: 'Delete the items of',
  forget: 'Forget',
  'drop-shape': 'Have writers leave off the views of',
};

/** A step in words. */
export function describeStep(step: Step): string {
  return `${WORDS[step.kind]} ${subjectOf(step)}`.trim();
}
