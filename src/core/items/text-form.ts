/** Values and arguments get the same form, so that a value is found by any string with its form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
