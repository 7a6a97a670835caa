/** Values and arguments get the same form, so that a value is found by any string of the same form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
