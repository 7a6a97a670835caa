/** Values and arguments have the same form, so a value is found by any text of its form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
