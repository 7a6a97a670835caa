import type { Telemetry } from '../../../src/core/telemetry.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { loadOptionalPackage } from '../../../src/trust/failures/optional-package.ts';

/** Returns OpenTelemetry if its API package is installed. An SDK that is preloaded (`NODE_OPTIONS='--import …'`) exports the data. */
export async function installedTelemetry(): Promise<Telemetry | undefined> {
  try {
    const loading = import('../../../src/deployment/telemetry/open-telemetry.ts');
    return (await loadOptionalPackage('@opentelemetry/api', loading)).openTelemetry();
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'not-installed') return undefined;
    throw error;
  }
}
