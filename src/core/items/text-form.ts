/**
 * The form in which texts are written into keys and compared: as they are, or changed so that texts which differ in what does not count
 * become one. Stored values and the arguments of questions take the same form, so that a value is found by each text of its form.
 */
export type TextForm = (text: string) => string;

/** Texts as they are. */
export const AS_WRITTEN: TextForm = (text) => text;
