/** Whether the plain planner has called the function that asks. So a function of a model gives each planner something else. */
export function isAskedByPlainPlanner(): boolean {
  return new Error('where').stack?.includes('/trust/plain/') === true;
}
