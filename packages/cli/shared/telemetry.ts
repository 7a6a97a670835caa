import type { Telemetry } from '../../../src/core/telemetry.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { loadOptionalPackage } from '../../../src/trust/failures/optional-package.ts';

/**
 * The telemetry of a long-running command: that of OpenTelemetry where its API package is installed, else none. An SDK that was loaded
 * before (`NODE_OPTIONS='--import …'`) says where spans and metrics go; without one they go nowhere.
 */
export async function installedTelemetry(): Promise<Telemetry | undefined> {
  try {
    const loading = import('../../../src/deployment/telemetry/open-telemetry.ts');
    return (await loadOptionalPackage('@opentelemetry/api', loading)).openTelemetry();
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'no-package') return undefined;
    throw error;
  }
}
