// A part of `npm run lint`: each planted bug applies to the code that it names and compiles, each mark of a rule has a bug, and each kept
// schedule has one. It prints a line for each that does not.

try {
  // It names planted bugs, and throws where there is none of a name.
  await import('../test/simulator/exhaustive/planted.ts');
  const { allPlanted } = await import('../test/simulator/planted/problems.ts');
  const { typeProblems } = await import('../test/simulator/planted/compiled.ts');
  const { planted, problems } = allPlanted();
  problems.push(...(await typeProblems(planted)));
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`${planted.length} planted bugs apply and compile.`);
  else process.exitCode = 1;
} catch (error) {
  // A mark that marks nothing, a list that names a bug that there is not.
  console.error((error as Error).message);
  process.exitCode = 1;
}
