import { loadOptionalPackage } from '../../trust/failures/optional-package.ts';

/** For imports in Node. Bundlers and `require` get `index.ts`, since they may refuse an `await` here. */

const loaded = await loadOptionalPackage('@opentelemetry/api', import('./open-telemetry.ts'));

export const { openTelemetry } = loaded;
