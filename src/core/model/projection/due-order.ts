/** The due-list's order has the name of an option, which no order of a model can have. */
export const DUE_ORDER = 'expires';
