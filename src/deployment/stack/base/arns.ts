export function tableArnOfStream(streamArn: string): string {
  return streamArn.split('/stream/')[0]!;
}

/** The table of an ARN of a table or of its stream. */
export function tableNameIn(arn: string): string {
  return /:table\/([^/]+)/.exec(arn)?.[1] ?? '';
}
