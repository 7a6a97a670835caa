import { describe, expect, inject, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { stackTemplate } from '../../src/deployment/stack/index.ts';
import { rawTemplate, type Template } from '../support/stack/template.ts';

/** What `edgeloom stack` prints and what the framework deploys, resource by resource. */

const config = await loadModel('edgeloom.config.ts');

/** A template without where the code is, and with what the framework's variables have made text. */
function comparable({ Resources }: Pick<Template, 'Resources'>): Record<string, unknown> {
  const entries = Object.entries(JSON.parse(JSON.stringify(Resources)) as Template['Resources'])
    .filter(([id]) => !id.startsWith('ServerlessDeploymentBucket'))
    .map(([id, { DependsOn, ...resource }]) => {
      const { Code: _, ...properties } = resource.Properties;
      // A function waits for its role already, by what names it.
      const waitsFor = (DependsOn ?? []).filter(
        (other) => !other.endsWith('Role') || resource.Type.endsWith('Mapping'),
      );
      return [id, { ...resource, Properties: properties, DependsOn: waitsFor }];
    });
  return Object.fromEntries(entries);
}

describe.each(['dev', 'prod'] as const)('the stack of the stage %s', (stage) => {
  const packaged = rawTemplate(inject('packages')[stage]);
  const input = { service: 'edgeloom', stage, parameters: readParameters({ stage }) };
  const printed = stackTemplate(config, { ...input, code: '.code' }) as unknown as Template;

  it('has the same resources from the framework and from the command, and each is the same', () => {
    const [theirs, ours] = [comparable(packaged), comparable(printed)];
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
    expect(Object.keys(ours).length).toBeGreaterThan(50);
    for (const [id, resource] of Object.entries(ours)) expect(resource, id).toEqual(theirs[id]);
  });
  it('has the same outputs, but for that of the artefacts', () => {
    const { ServerlessDeploymentBucketName: _, ...theirs } = packaged.Outputs;
    expect(JSON.parse(JSON.stringify(printed.Outputs))).toEqual(theirs);
  });
});
