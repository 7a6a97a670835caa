import { en } from 'zod/locales';

let parsing: { error: ReturnType<typeof en>['localeError']; jitless: true } | undefined;

/**
 * English messages, because `zod/mini` has none; `jitless`, because compiling a parser takes longer than one parse.
 * Created at first use, so that bundlers can drop it.
 */
export function parsingInEnglish(): NonNullable<typeof parsing> {
  parsing ??= { error: en().localeError, jitless: true };
  return parsing;
}

export function issueTexts(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string[] {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
}
