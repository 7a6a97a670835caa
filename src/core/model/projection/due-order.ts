/** The order by the time at which edges end; it has the name of an option, which no order of a model has. */
export const DUE_ORDER = 'expires';
