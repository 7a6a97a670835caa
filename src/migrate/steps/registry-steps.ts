import {
  addGeneration,
  announce,
  distrustEverything,
  enforceAnnounced,
  forgetGeneration,
  makeAllReady,
  makeReady,
  noteSince,
  registerAll,
  replaceViews,
  retireGeneration,
  withdrawGeneration,
} from '../../registry/transitions.ts';
import type { RegistryStep, Step, StepOf } from './step.ts';

export const REGISTRY_STEPS = {
  register: {
    words: 'Register the model with the table',
    stateAfter: 'registered',
    brings: true,
    asks: 'emptiness',
    definitions: (_step, expected) => [...expected.values()],
    write: (_step, _registry, { expected, table, isEmpty, firstId }) =>
      isEmpty === true ? registerAll([...expected.values()], table) : announce([...expected.values()], table, firstId),
  },
  enforce: {
    words: 'Have writers go by the registry',
    stateAfter: 'building',
    write: (_step, registry) => enforceAnnounced(registry),
  },
  'note-home': {
    words: 'Note the home region of the table',
    stateAfter: 'noted',
    write: ({ table }, registry) => ({ ...registry, version: registry.version + 1, table }),
  },
  'open-empty': {
    words: 'Let readers use everything: the table is empty',
    stateAfter: 'ready',
    write: (_step, registry) => makeAllReady(registry),
  },
  doubt: {
    words: 'Verify everything again: table or stream is another than the registered one',
    stateAfter: 'building',
    write: ({ table }, registry) => distrustEverything(registry, table),
  },
  add: {
    words: 'Have writers maintain',
    stateAfter: 'building',
    brings: true,
    definitions: ({ definitions }) => definitions,
    write: ({ definitions }, registry) =>
      definitions.reduce((next, { name, fingerprint }) => addGeneration(next, name, fingerprint), registry),
  },
  'note-since': {
    words: 'Note since when writers maintain what is new',
    stateAfter: 'building',
    asks: 'time',
    write: (_step, registry, { serverTimeMs }) => noteSince(registry, serverTimeMs),
  },
  ready: {
    words: 'Let readers use',
    stateAfter: 'ready',
    write: ({ seen }, registry) => makeReady(registry, seen),
  },
  'replace-views': {
    words: 'Replace',
    stateAfter: 'building',
    brings: true,
    definitions: ({ definitions }) => definitions,
    write: ({ definitions, seen }, registry) => replaceViews(registry, definitions, seen),
  },
  withdraw: {
    words: 'Take from readers',
    stateAfter: 'building',
    write: ({ seen }, registry) => withdrawGeneration(registry, seen),
  },
  retire: {
    words: 'Have writers leave off',
    stateAfter: 'retired',
    write: ({ seen }, registry) => retireGeneration(registry, seen),
  },
  forget: {
    words: 'Forget',
    stateAfter: 'forgotten',
    write: ({ seen }, registry) => forgetGeneration(registry, seen),
  },
} satisfies { [Kind in Step['kind']]?: RegistryStep<StepOf<Kind>> };
