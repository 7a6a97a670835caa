/**
 * The form in which texts are put into keys and compared: as written, or normalized so that irrelevant differences
 * vanish. Stored values and arguments have the same form, so a value is found by any text of its form.
 */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;
