/** No order of a model can have the name of an option. */
export const DUE_ORDER = 'expires';
