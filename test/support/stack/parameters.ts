import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { type Parameters, readParameters } from '../../../src/deployment/stack/base/parameters.ts';
import { type Site, siteOf } from '../../../src/deployment/stack/base/site.ts';
import { type Template as MadeTemplate, stackTemplate } from '../../../src/deployment/stack/stack.ts';
import type { Template } from './template.ts';

/** The parameters of the stage prod, but for these. */
export function parametersOf(more: Readonly<Record<string, unknown>> = {}): Parameters {
  return readParameters({ stage: 'prod', values: more });
}

/** What the parts of the stack `own-test` are made from. */
export function testSite(model: CompiledModel, more: Readonly<Record<string, unknown>> = {}): Site {
  return siteOf({ model, service: 'own', stage: 'test', parameters: parametersOf(more) });
}

/** The whole stack `own-test` of a model. */
export function testStack(model: CompiledModel, more: Readonly<Record<string, unknown>> = {}): MadeTemplate & Template {
  const input = { service: 'own', stage: 'test', parameters: parametersOf(more) };
  return stackTemplate(model, { ...input, code: { S3Bucket: 'code', S3Key: 'functions.zip' } }) as MadeTemplate &
    Template;
}
