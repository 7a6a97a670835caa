import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EdgeloomError } from '../../errors.ts';

/**
 * The service that a project was made for: `edgeloom.service` in the package.json of the model file's folder, or of the nearest
 * folder above it that has one. Undefined where it says nothing. Throws `invalid-config` where it is no text.
 */
export function recordedService(modelFile: string): string | undefined {
  const path = nearestManifest(dirname(resolve(modelFile)));
  if (path === undefined) return undefined;
  const { edgeloom } = JSON.parse(readFileSync(path, 'utf8')) as { edgeloom?: { service?: unknown } };
  const service = edgeloom?.service;
  if (service === undefined || typeof service === 'string') return service;
  throw new EdgeloomError(
    'invalid-config',
    `In ${path}, edgeloom.service is not a text.`,
    'Give it the name of the service, as in serverless.yml.',
  );
}

/**
 * Throws `service-renamed` where a service has another name than the project's record says: CloudFormation would make a second stack,
 * with an empty table, and leave the first one as it is.
 */
export function checkService(modelFile: string, service: string): void {
  const recorded = recordedService(modelFile);
  if (recorded === undefined || recorded === service) return;
  throw new EdgeloomError(
    'service-renamed',
    `The service is ${service}, and package.json records ${recorded}. Another name is another stack, with a new and empty table.`,
    `Call the service ${recorded} again; for a new service change edgeloom.service in package.json too.`,
  );
}

function nearestManifest(folder: string): string | undefined {
  const path = join(folder, 'package.json');
  if (existsSync(path)) return path;
  const above = dirname(folder);
  return above === folder ? undefined : nearestManifest(above);
}
