/** The name of the due-list's order. Orders of a model can't have this name, because it is an option's. */
export const DUE_ORDER = 'expires';
