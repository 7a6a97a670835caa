import { en } from 'zod/locales';

let parsing: { error: ReturnType<typeof en>['localeError']; jitless: true } | undefined;

/**
 * English messages, which `zod/mini` lacks, without a compiled parser, which would take longer than one parse. Made at
 * first use, so that bundlers can drop it.
 */
export function parsingInEnglish(): NonNullable<typeof parsing> {
  parsing ??= { error: en().localeError, jitless: true };
  return parsing;
}
