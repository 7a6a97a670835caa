import { loadOptionalPackage } from '../../trust/failures/optional-package.ts';

/**
 * What an import in Node gets: throws `no-package` without `@opentelemetry/api`. Bundlers and `require` get
 * `index.ts`, since they may refuse an `await` here.
 */

const loaded = await loadOptionalPackage('@opentelemetry/api', import('./open-telemetry.ts'));

export const { openTelemetry } = loaded;
