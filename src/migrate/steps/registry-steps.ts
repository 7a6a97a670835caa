import { typeOfView } from '../../registry/definition.ts';
import {
  announce,
  distrustEverything,
  distrustViews,
  dropShape,
  enforceAnnounced,
  forgetGeneration,
  installShapes,
  keepGeneration,
  makeAllReady,
  makeReady,
  makeShapeReady,
  noteKeptSince,
  registerAll,
  stopMaintaining,
  trustViewsAgain,
  withdrawGeneration,
} from '../../registry/transitions.ts';
import type { RegistryStep, StepOf } from './step.ts';

const registers: RegistryStep<StepOf<'register'>> = {
  words: 'Register the model with the table',
  stateAfter: 'registered',
  brings: true,
  asks: 'emptiness',
  definitions: (_step, { projections, views }) => [...projections.values(), ...views.values()],
  write: (_step, _registry, { expected, table, isEmpty, firstId }) =>
    isEmpty === true ? registerAll(expected, table) : announce(expected, table, firstId),
};

const enforces: RegistryStep<StepOf<'enforce'>> = {
  words: 'Have writers go by the registry',
  stateAfter: 'kept',
  write: (_step, registry) => enforceAnnounced(registry),
};

const notesHome: RegistryStep<StepOf<'note-home'>> = {
  words: 'Note the home region of the table',
  stateAfter: 'noted',
  write: ({ table }, registry) => ({ ...registry, version: registry.version + 1, table }),
};

const opensEmpty: RegistryStep<StepOf<'open-empty'>> = {
  words: 'Let readers use everything: the table is empty',
  stateAfter: 'ready',
  write: (_step, registry) => makeAllReady(registry),
};

const doubts: RegistryStep<StepOf<'doubt'>> = {
  words: 'Verify everything again: table or stream is another than the registered one',
  stateAfter: 'kept',
  write: ({ table }, registry) => distrustEverything(registry, table),
};

const keeps: RegistryStep<StepOf<'keep'>> = {
  words: 'Have writers keep',
  stateAfter: 'kept',
  brings: true,
  definitions: ({ definitions }) => definitions,
  write: ({ definitions }, registry) =>
    definitions.reduce((next, { name, fingerprint }) => keepGeneration(next, name, fingerprint), registry),
};

const notesSince: RegistryStep<StepOf<'note-since'>> = {
  words: 'Note since when writers keep what is new',
  stateAfter: 'kept',
  asks: 'time',
  write: (_step, registry, { serverTimeMs }) => noteKeptSince(registry, serverTimeMs),
};

const makesReady: RegistryStep<StepOf<'ready'>> = {
  words: 'Let readers use',
  stateAfter: 'ready',
  write: ({ seen }, registry) => makeReady(registry, seen),
};

const distrusts: RegistryStep<StepOf<'distrust'>> = {
  words: 'Have readers use base items instead of',
  stateAfter: 'distrusted',
  brings: true,
  write: ({ types }, registry) => distrustViews(registry, types),
};

const trustsAgain: RegistryStep<StepOf<'trust-again'>> = {
  words: 'Let readers use again',
  stateAfter: 'trusted',
  write: ({ types }, registry) => trustViewsAgain(registry, types),
};

const installs: RegistryStep<StepOf<'install'>> = {
  words: 'Install',
  stateAfter: 'trusted',
  brings: true,
  definitions: ({ definitions }) => definitions,
  write: ({ definitions, seen }, registry) =>
    installShapes(
      registry,
      new Map(definitions.map(({ name, fingerprint }) => [typeOfView(name)!, fingerprint])),
      new Map(seen.map((one) => [one.name, one])),
    ),
};

const makesShapeReady: RegistryStep<StepOf<'shape-ready'>> = {
  words: 'Let a missing view say that there is nothing:',
  stateAfter: 'ready',
  write: ({ seen }, registry) => makeShapeReady(registry, seen),
};

const withdraws: RegistryStep<StepOf<'withdraw'>> = {
  words: 'Take from readers',
  stateAfter: 'kept',
  write: ({ seen }, registry) => withdrawGeneration(registry, seen),
};

const abandons: RegistryStep<StepOf<'abandon'>> = {
  words: 'Have writers leave off',
  stateAfter: 'absent',
  write: ({ seen }, registry) => stopMaintaining(registry, seen),
};

const forgets: RegistryStep<StepOf<'forget'>> = {
  words: 'Forget',
  stateAfter: 'forgotten',
  write: ({ seen }, registry) => forgetGeneration(registry, seen),
};

const dropsShape: RegistryStep<StepOf<'drop-shape'>> = {
  words: 'Have writers leave off the views of',
  stateAfter: 'absent',
  write: ({ seen }, registry) => dropShape(registry, seen),
};

export const REGISTRY_STEPS = {
  register: registers,
  enforce: enforces,
  'note-home': notesHome,
  'open-empty': opensEmpty,
  doubt: doubts,
  keep: keeps,
  'note-since': notesSince,
  ready: makesReady,
  distrust: distrusts,
  'trust-again': trustsAgain,
  install: installs,
  'shape-ready': makesShapeReady,
  withdraw: withdraws,
  abandon: abandons,
  forget: forgets,
  'drop-shape': dropsShape,
};
