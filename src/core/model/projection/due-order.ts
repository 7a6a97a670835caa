/** The name of the due-list's order. `compileInbound` refuses it as the name of an order. */
export const DUE_ORDER = 'expires';
