import { describe, expect, it } from 'vitest';
import { dynoxideCommand, dynoxidePath } from '../../../src/local/dynoxide.ts';

describe('dynoxidePath', () => {
  it('finds the program in the package of the platform', () => {
    const resolve = (specifier: string): string => `/modules/${specifier}`;
    expect(dynoxidePath('linux', 'x64', resolve)).toBe('/modules/@dynoxide/linux-x64/dynoxide');
    expect(dynoxidePath('win32', 'arm64', resolve)).toBe('/modules/@dynoxide/win32-arm64/dynoxide.exe');
  });

  it('says what to install where the package of the platform is missing', () => {
    const missing = (): never => {
      throw new Error('Cannot find module');
    };
    expect(() => dynoxidePath('sunos', 'sparc', missing)).toThrow(
      expect.objectContaining({
        code: 'no-engine',
        message: 'The embedded engine for this platform (@dynoxide/sunos-sparc) is not installed.',
        hint: expect.stringMatching(/npm install --no-save @dynoxide\/sunos-sparc@\d.*--engine dynamodb-local/),
      }),
    );
  });

  it('names a package that really is missing, with the real lookup', () => {
    expect(() => dynoxidePath('no-such-platform', 'x64')).toThrow('@dynoxide/no-such-platform-x64');
  });
});

describe('dynoxideCommand', () => {
  it('keeps data in a file of the data folder, or in memory', () => {
    expect(dynoxideCommand(8000, '/data').args).toEqual(['--port', '8000', '--db-path', '/data/dynoxide.db']);
    expect(dynoxideCommand(8000, undefined).args).toEqual(['--port', '8000']);
  });
});
