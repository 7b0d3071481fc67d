# The same policy for OPA:
# hostform plan --policy-command "opa eval --stdin-input --data policy.rego --format raw --fail-defined data.hostform.objections[_]"
package hostform

import rego.v1

steps := [event | some event in input.events; event.type == "planned"]

objections contains "this policy reads plans of format 1" if input.format != 1

objections contains text if {
	count(steps) > 50
	text := sprintf("%d steps at once: apply them in parts of at most 50", [count(steps)])
}

objections contains text if {
	some step in steps
	step.action == "delete"
	startswith(step.address, "mailbox/")
	text := sprintf("%s: mailboxes are deleted by the support team alone", [step.address])
}

objections contains text if {
	some step in steps
	some change in step.changes
	change.path == "ttl"
	change.after.is == "value"
	change.after.value < 300
	text := sprintf("%s: a TTL of %d is below 300", [step.address, change.after.value])
}
