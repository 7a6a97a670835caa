export function tableArnOfStream(streamArn: string): string {
  return streamArn.split('/stream/')[0]!;
}

/** Accepts the ARN of a table or of a stream. */
export function tableNameIn(arn: string): string {
  return /:table\/([^/]+)/.exec(arn)?.[1] ?? '';
}
