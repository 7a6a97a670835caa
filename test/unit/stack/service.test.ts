import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHandlers, checkNames, recordedNames } from '../../../src/deployment/stack/project/service.ts';
import { parametersOf } from '../../support/stack/parameters.ts';

describe('the service that a project records', () => {
  let folder: string;
  let model: string;
  const record = (manifest: object) => writeFile(join(folder, 'package.json'), JSON.stringify(manifest));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgeloom-service-'));
    model = join(folder, 'models', 'edgeloom.config.ts');
    await mkdir(join(folder, 'models'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is in the nearest package.json above the model file', async () => {
    await record({ name: 'another-name', edgeloom: { service: 'goals' } });
    expect(recordedNames(model).service).toBe('goals');
    expect(() => checkNames(model, { service: 'goals' })).not.toThrow();
  });
  it('keeps another name from making a second, empty table', async () => {
    await record({ edgeloom: { service: 'goals' } });
    expect(() => checkNames(model, { service: 'targets' })).toThrow(
      expect.objectContaining({ code: 'name-changed', message: expect.stringMatching(/targets.*goals/) }),
    );
  });
  it('is not compared where there is no record', async () => {
    await record({ name: 'goals' });
    expect(recordedNames(model)).toEqual({});
    expect(() => checkNames(model, { service: 'targets' })).not.toThrow();
  });
  it('has the table with it, whose other name would be another, empty table', async () => {
    await record({ edgeloom: { service: 'goals', table: 'records' } });
    expect(() => checkNames(model, { service: 'goals', table: 'records' })).not.toThrow();
    expect(() => checkNames(model, { service: 'goals', table: 'items' })).toThrow(
      expect.objectContaining({ code: 'name-changed', message: expect.stringMatching(/items.*records.*empty/) }),
    );
    // A table that the stack does not make has a name of its own.
    expect(() => checkNames(model, { service: 'goals' })).not.toThrow();
  });
  it('is a text, or an error says so', async () => {
    await record({ edgeloom: { service: 7 } });
    expect(() => recordedNames(model)).toThrow(expect.objectContaining({ code: 'invalid-config' }));
  });
});

describe('the modules of the functions', () => {
  it('are those of a new project for every parameter, and one that is absent is named', async () => {
    const project = await mkdtemp(join(tmpdir(), 'edgeloom-handlers-'));
    const model = join(project, 'edgeloom.config.ts');
    const fed = parametersOf({ observe: true, feedEventBus: 'default' });
    try {
      // A project with another folder for them.
      expect(() => checkHandlers(model, fed)).not.toThrow();
      await cp(new URL('../../../assets/project/handlers', import.meta.url), join(project, 'handlers'), {
        recursive: true,
      });
      expect(() => checkHandlers(model, fed)).not.toThrow();
      await rm(join(project, 'handlers/feed.ts'));
      expect(() => checkHandlers(model, parametersOf({ observe: true }))).not.toThrow();
      expect(() => checkHandlers(model, fed)).toThrow(
        expect.objectContaining({
          code: 'invalid-parameters',
          message: expect.stringMatching(/the function feed, and .*handlers.feed\.ts is absent/),
        }),
      );
    } finally {
      await rm(project, { recursive: true });
    }
  });
});
