/** Values and arguments get the same form, so a value is found by every string with that form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
