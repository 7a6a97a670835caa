declare module 'asl-validator' {
  /** What is wrong with a state machine's definition. */
  interface Problem {
    'Error code': string;
    Message?: string;
  }
  /** Checks a definition in the Amazon States Language; it notes the query language on each state, in place. */
  export default function validate(
    definition: object,
    options?: { checkPaths?: boolean; checkArn?: boolean },
  ): { isValid: boolean; errors: Problem[] };
}
