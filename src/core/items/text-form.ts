/** Applied to values and to arguments, so a search finds a value by every string that has the same form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
