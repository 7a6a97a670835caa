import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { installedTestPackage } from '../test-package.ts';

/** Where a browser can be had: the package holds one for this platform alone. */
export const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64';

/** What is used of the package that holds the browser. */
interface PackedBrowser {
  default: { executablePath(): Promise<string> };
}

/** A browser that runs, and how to end it. */
export interface RunningBrowser {
  browser: Browser;
  close(): Promise<void>;
}

/**
 * Starts the Chromium that is inside an npm package, with the libraries that come with it. It is unpacked into a folder of its
 * own, so that two runs cannot meet there. `more`: further arguments of the browser. Its own arguments are not taken: they would switch off what keeps origins apart.
 */
export async function startBrowser(...more: readonly string[]): Promise<RunningBrowser> {
  const installed = await installedTestPackage('browser');
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-chromium-'));
  const { TMPDIR, AWS_EXECUTION_ENV, LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env;
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  try {
    // The package unpacks its libraries only where it takes the machine for Lambda's.
    process.env['TMPDIR'] = folder;
    process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs20.x';
    const { default: packed } = (await import(
      pathToFileURL(join(installed, 'node_modules/@sparticuz/chromium/build/esm/index.js')).href
    )) as PackedBrowser;
    const executablePath = await packed.executablePath();
    // The package's own configuration looks for fonts in /tmp/fonts; a browser that finds none crashes on the first form.
    const fonts = join(folder, 'fontconfig');
    await mkdir(fonts);
    await writeFile(
      join(fonts, 'fonts.conf'),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}</dir><cachedir>${join(fonts, 'cache')}</cachedir></fontconfig>`,
    );
    const browser = await chromium.launch({
      executablePath,
      headless: true,
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--headless=shell', '--hide-scrollbars', ...more],
      env: { ...(process.env as Record<string, string>), HOME: folder, FONTCONFIG_PATH: fonts },
    });
    return {
      browser,
      close: async () => {
        await browser.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    set('TMPDIR', TMPDIR);
    set('AWS_EXECUTION_ENV', AWS_EXECUTION_ENV);
    set('LD_LIBRARY_PATH', LD_LIBRARY_PATH);
    set('FONTCONFIG_PATH', FONTCONFIG_PATH);
  }
}
