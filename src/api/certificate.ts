import type { ApiPorts } from "./ports.ts";
import type { Route } from "./route.ts";

/** `/v1/ca.pem`: the certificate that clients have to trust; it is no secret. */
export function certificateRoutes(
  { certificatePem }: Pick<ApiPorts, "certificatePem">,
): readonly Route[] {
  return [{
    method: "GET",
    path: "/v1/ca.pem",
    access: "anyone",
    handle: (c) => c.body(certificatePem, 200, { "Content-Type": "application/x-pem-file" }),
  }];
}
