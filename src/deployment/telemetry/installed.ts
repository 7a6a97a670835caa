import { loadOptionalPackage } from '../../trust/failures/optional-package.ts';

/**
 * `edgeloom/telemetry` as an import in Node gets it: without `@opentelemetry/api` it throws `no-package`, with the command that installs
 * it. Bundlers and `require` get `index.ts`, since they may refuse an `await` here.
 */

const loaded = await loadOptionalPackage('@opentelemetry/api', import('./open-telemetry.ts'));

export const { openTelemetry } = loaded;
