package session

// builtin is every definition that can be used without being written.
// To add one, add its line: see RATIONALE.md for what does not belong here.
var builtin = []Definition{
	{Name: ".AspNetCore.Session", Cookie: ".AspNetCore.Session"},
	{Name: "ASP.NET_SessionId", Cookie: "ASP.NET_SessionId"},
	{Name: "CAKEPHP", Cookie: "CAKEPHP"},
	{Name: "CGISESSID", Cookie: "CGISESSID", URLParam: "CGISESSID"}, // CGI::Session
	{Name: "JSESSIONID", Cookie: "JSESSIONID", URLParam: "jsessionid"},
	{Name: "PHPSESSID", Cookie: "PHPSESSID", URLParam: "PHPSESSID"},
	{Name: "SESSION", Cookie: "SESSION"}, // Spring Session
	{Name: "_session_id", Cookie: "_session_id"},
	{Name: "ci_session", Cookie: "ci_session"},   // CodeIgniter
	{Name: "connect.sid", Cookie: "connect.sid"}, // Express
	{Name: "laravel_session", Cookie: "laravel_session"},
	{Name: "sessionid", Cookie: "sessionid"}, // Django
}

// Builtin returns the definitions that can be used without being written, by
// name. The map is the caller's.
func Builtin() map[string]Definition {
	byName := make(map[string]Definition, len(builtin))
	for _, d := range builtin {
		byName[d.Name] = d
	}
	return byName
}
