import { loadOptionalPackage } from '../../trust/failures/optional-package.ts';

/** Loaded by Node's imports. Bundlers and `require` load `index.ts`, since they may refuse the `await` here. */

const loaded = await loadOptionalPackage('@opentelemetry/api', import('./open-telemetry.ts'));

export const { openTelemetry } = loaded;
