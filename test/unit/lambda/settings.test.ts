import { describe, expect, it } from 'vitest';
import { readFunctionSettings } from '../../../src/deployment/lambda/settings.ts';

describe('readFunctionSettings', () => {
  it('reads what the deployment sets', () => {
    expect(
      readFunctionSettings({
        EDGELOOM_TABLE: 'edgeloom-prod-records',
        EDGELOOM_LOG_LEVEL: 'debug',
        EDGELOOM_CONCURRENCY: '16',
        EDGELOOM_GRACE_SECONDS: '60',
        AWS_REGION: 'eu-central-1',
      }),
    ).toEqual({
      EDGELOOM_TABLE: 'edgeloom-prod-records',
      EDGELOOM_LOG_LEVEL: 'debug',
      EDGELOOM_CONCURRENCY: 16,
      EDGELOOM_GRACE_SECONDS: 60,
      AWS_REGION: 'eu-central-1',
      client: { endpoint: undefined, region: 'eu-central-1' },
    });
  });
  it('needs the table alone; an empty variable is not set', () => {
    expect(
      readFunctionSettings({ EDGELOOM_TABLE: 'records', EDGELOOM_CONCURRENCY: '', EDGELOOM_LOG_LEVEL: '' }),
    ).toEqual({
      EDGELOOM_TABLE: 'records',
      EDGELOOM_LOG_LEVEL: 'info',
      client: { endpoint: undefined, region: undefined },
    });
  });
  it("takes DynamoDB's own endpoint before the general one", () => {
    const general = { EDGELOOM_TABLE: 'records', AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
    expect(readFunctionSettings(general).client.endpoint).toBe('http://127.0.0.1:4566');
    const own = { ...general, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' };
    expect(readFunctionSettings(own).client.endpoint).toBe('http://127.0.0.1:8000');
  });
  it("takes the role's credentials, but where the SDK might find others, or another endpoint", () => {
    const role = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
    const environment = { EDGELOOM_TABLE: 'records', ...role };
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
    expect(readFunctionSettings(environment).client.credentials).toEqual(credentials);
    for (const name of ['AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_ACCOUNT_ID', 'AWS_USE_FIPS_ENDPOINT']) {
      expect(readFunctionSettings({ ...environment, [name]: 'x' }).client.credentials).toBeUndefined();
    }
    expect(readFunctionSettings({ EDGELOOM_TABLE: 'records' }).client.credentials).toBeUndefined();
  });
  it('names every variable that is wrong', () => {
    const wrong = {
      EDGELOOM_LOG_LEVEL: 'loud',
      EDGELOOM_CONCURRENCY: '1.5',
      EDGELOOM_GRACE_SECONDS: '-1',
      AWS_ENDPOINT_URL: 'ftp://x',
    };
    expect(() => readFunctionSettings(wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid-environment',
        message: expect.stringMatching(
          /EDGELOOM_TABLE.*EDGELOOM_LOG_LEVEL.*EDGELOOM_CONCURRENCY.*EDGELOOM_GRACE_SECONDS.*AWS_ENDPOINT_URL/s,
        ),
      }),
    );
  });
});
