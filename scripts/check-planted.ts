// Part of `npm run lint`: checks that each planted bug applies and compiles, and that each rule's mark and each saved
// schedule has a bug.

try {
  // Throws for the name of a missing bug.
  await import('../test/simulator/exhaustive/planted.ts');
  const { allPlanted } = await import('../test/simulator/planted/problems.ts');
  const { typeProblems } = await import('../test/simulator/planted/compiled.ts');
  const { planted, problems } = allPlanted();
  problems.push(...(await typeProblems(planted)));
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`${planted.length} planted bugs apply and compile.`);
  else process.exitCode = 1;
} catch (error) {
  // A mark that marks nothing, or a list with an unknown bug.
  console.error((error as Error).message);
  process.exitCode = 1;
}
