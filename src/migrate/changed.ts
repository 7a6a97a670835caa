import { EdgeloomError } from '../errors.ts';
import type { Registry } from '../registry/registry.ts';
import {
  abandon,
  distrust,
  doubt,
  dropShape,
  forget,
  install,
  keep,
  makeReady,
  noteSince,
  openEmpty,
  shapeReady,
  trustAgain,
  withdraw,
} from '../registry/transitions.ts';
import type { Step } from './next-step.ts';

/** The registry after a step that changes it. */
export function changed(step: Step, current: Registry, serverTimeMs: number): Registry {
  switch (step.kind) {
    case 'doubt':
      return doubt(current, step.table);
    case 'open-empty':
      return openEmpty(current);
    case 'keep':
      return step.definitions.reduce((next, { name, fingerprint }) => keep(next, name, fingerprint), current);
    case 'note-since':
      return noteSince(current, serverTimeMs);
    case 'ready':
      return makeReady(current, step.seen);
    case 'distrust':
      return distrust(current, step.types);
    case 'trust-again':
      return trustAgain(current, step.types);
    case 'install':
      return install(
        current,
        new Map(step.definitions.map(({ name, fingerprint }) => [name.slice('view:'.length), fingerprint])),
        new Map(step.seen.map((seen) => [seen.name, seen])),
      );
    case 'shape-ready':
      return shapeReady(current, step.seen);
    case 'withdraw':
      return withdraw(current, step.seen);
    case 'abandon':
      return abandon(current, step.seen);
    case 'forget':
      return forget(current, step.seen);
    case 'drop-shape':
      return dropShape(current, step.seen);
    default:
      throw new EdgeloomError('usage', `${step.kind} does not change the registry.`);
  }
}
