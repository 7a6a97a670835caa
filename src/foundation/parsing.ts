import { en } from 'zod/locales';

/**
 * How schemas of `zod/mini` are parsed that a function reads at its start: with messages in English, which `zod/mini` has none of,
 * and without compiling a parser, which takes longer than the one parse that it is for.
 */
export const PARSING = { error: en().localeError, jitless: true } as const;
