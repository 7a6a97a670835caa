/** The name of the due-list's order. As the name of an option, it can't be the name of a model's order. */
export const DUE_ORDER = 'expires';
