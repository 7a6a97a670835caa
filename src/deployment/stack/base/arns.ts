export function tableArnOfStream(streamArn: string): string {
  return streamArn.split('/stream/')[0]!;
}

/** Returns the table's name from the ARN of a table or stream. */
export function tableNameIn(arn: string): string {
  return /:table\/([^/]+)/.exec(arn)?.[1] ?? '';
}
